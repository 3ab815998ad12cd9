/**
 * The HTTP port for monitoring: connections, requests, answers and the password.
 *
 * <p>Public face: {@link ManagementHttp}.
 *
 * <p>Imports: {@code core.budget}, {@code core.password}, {@code log}, {@code management.meter},
 * {@code netty.tls}.
 */
@NullMarked
package org.nyala.management.http;

import org.jspecify.annotations.NullMarked;
