/**
 * The bytes of an LDAP client: templates of requests, scanning of responses.
 *
 * <p>Public face: {@link RequestTemplate} and {@link ResponseScanner}.
 */
@NullMarked
package org.nyala.loadtest.ldap;

import org.jspecify.annotations.NullMarked;
