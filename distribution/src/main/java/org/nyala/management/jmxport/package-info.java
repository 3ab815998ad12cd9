/**
 * The remote JMX port: accounts, logins, filters of deserialisation.
 *
 * <p>Public face: {@link JmxPort}.
 *
 * <p>Imports: {@code core.password}, {@code log}, {@code netty.tls}.
 */
@NullMarked
package org.nyala.management.jmxport;

import org.jspecify.annotations.NullMarked;
