/**
 * The model of the schema (RFC 4512): types, classes and rules as records whose references are
 * resolved.
 *
 * <p>Public face: {@link Schema}.
 */
@NullMarked
package org.nyala.core.schema;

import org.jspecify.annotations.NullMarked;
