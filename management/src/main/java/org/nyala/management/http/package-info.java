/**
 * The HTTP port for monitoring: connections, requests, answers and the password.
 *
 * <p>Public face: {@link ManagementHttp}.
 */
@NullMarked
package org.nyala.management.http;

import org.jspecify.annotations.NullMarked;
