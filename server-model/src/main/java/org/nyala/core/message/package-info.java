/**
 * LDAP messages (RFC 4511) as data: requests, results, result codes, filters as received.
 *
 * <p>Public face: all of it.
 */
@NullMarked
package org.nyala.core.message;

import org.jspecify.annotations.NullMarked;
