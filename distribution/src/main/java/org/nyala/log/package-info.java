/**
 * The access log, the audit log and JFR events.
 *
 * <p>Public face: {@link AccessLog} and {@link AuditLog}.
 */
@NullMarked
package org.nyala.log;

import org.jspecify.annotations.NullMarked;
