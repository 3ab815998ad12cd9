/**
 * The remote JMX port: accounts, logins, filters of deserialisation.
 *
 * <p>Public face: {@link JmxPort}.
 */
@NullMarked
package org.nyala.management.jmxport;

import org.jspecify.annotations.NullMarked;
