/**
 * The beans of a server as a client of JMX sees them: their interfaces, notifications and events, a
 * connection to them, and flight recordings.
 *
 * <p>Public face: {@link LocalManagement}.
 */
@NullMarked
package org.nyala.management.bean;

import org.jspecify.annotations.NullMarked;
