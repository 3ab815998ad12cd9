/**
 * Filters: their text, their compiled form, and the matching of entries in slices; selections of
 * attributes.
 *
 * <p>Public face: {@link FilterCompiler}, {@link FilterMatcher} and {@link AttributeSelector}.
 */
@NullMarked
package org.nyala.core.filter;

import org.jspecify.annotations.NullMarked;
