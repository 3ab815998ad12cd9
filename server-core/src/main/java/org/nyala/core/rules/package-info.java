/**
 * Rules about a single entry: schema checks, naming, modifications of values.
 *
 * <p>Public face: {@link EntryRules}, {@link AttributeModifications}, {@link ValueSet} and {@link
 * UpdateErrors}.
 */
@NullMarked
package org.nyala.core.rules;

import org.jspecify.annotations.NullMarked;
