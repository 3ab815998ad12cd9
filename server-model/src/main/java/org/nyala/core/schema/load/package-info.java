/**
 * Reading, linking and extending schema definitions.
 *
 * <p>Public face: {@link SchemaLoader}, and {@link ExtendedSchema} at run time.
 *
 * <p>Imports: {@code core.schema}, {@code core.schema.rule}.
 */
@NullMarked
package org.nyala.core.schema.load;

import org.jspecify.annotations.NullMarked;
