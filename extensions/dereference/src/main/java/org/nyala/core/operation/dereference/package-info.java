/**
 * The dereference control: looks up the entries that values of found entries name, with the rights
 * of the client.
 *
 * <p>Public face: {@link Dereferencing}.
 */
@NullMarked
package org.nyala.core.operation.dereference;

import org.jspecify.annotations.NullMarked;
