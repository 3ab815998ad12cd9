/**
 * The access log, the audit log, the security log and JFR events.
 *
 * <p>Public face: {@link AccessLog}, {@link AuditLog} and {@link SecurityLog}.
 */
@NullMarked
package org.nyala.log;

import org.jspecify.annotations.NullMarked;
