/**
 * The beans of a server as JMX clients see them: interfaces, notifications, events; the connection
 * to them, and flight recordings.
 *
 * <p>Public face: {@link LocalManagement}.
 */
@NullMarked
package org.nyala.management.bean;

import org.jspecify.annotations.NullMarked;
