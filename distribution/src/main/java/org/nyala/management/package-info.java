/**
 * JMX beans, metrics over HTTP, {@code cn=Monitor}, and notifications.
 *
 * <p>Public face: {@link ServerManagement}.
 */
@NullMarked
package org.nyala.management;

import org.jspecify.annotations.NullMarked;
