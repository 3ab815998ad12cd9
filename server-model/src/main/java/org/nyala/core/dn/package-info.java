/**
 * Distinguished names (RFC 4514): parsing and normal form.
 *
 * <p>Public face: {@link DnParser} and {@link Dn}.
 */
@NullMarked
package org.nyala.core.dn;

import org.jspecify.annotations.NullMarked;
