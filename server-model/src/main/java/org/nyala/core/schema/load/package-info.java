/**
 * Reading, linking and extending schema definitions.
 *
 * <p>Public face: {@link SchemaLoader}, and {@link ExtendedSchema} at run time.
 */
@NullMarked
package org.nyala.core.schema.load;

import org.jspecify.annotations.NullMarked;
