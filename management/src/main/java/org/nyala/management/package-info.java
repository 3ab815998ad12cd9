/**
 * The JMX beans of a running server, and the watch that sends their notifications.
 *
 * <p>Public face: {@link ManagementBeans}.
 */
@NullMarked
package org.nyala.management;

import org.jspecify.annotations.NullMarked;
