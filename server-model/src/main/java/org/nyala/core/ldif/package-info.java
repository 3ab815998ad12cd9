/**
 * LDIF (RFC 2849), read in parallel chunks and written.
 *
 * <p>Public face: {@link LdifParser} and {@link LdifWriter}.
 */
@NullMarked
package org.nyala.core.ldif;

import org.jspecify.annotations.NullMarked;
