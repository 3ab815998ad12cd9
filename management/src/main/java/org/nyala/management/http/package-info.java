/**
 * The HTTP port for monitoring: connections, requests, answers, the password, and who may have the
 * live page.
 *
 * <p>Public face: {@link ManagementHttp}.
 */
@NullMarked
package org.nyala.management.http;

import org.jspecify.annotations.NullMarked;
