/**
 * The schema: what attributes and classes there are and how values are compared. Hot: normalisers
 * and name look-ups.
 */
@NullMarked
package org.nyala.core.schema;

import org.jspecify.annotations.NullMarked;
