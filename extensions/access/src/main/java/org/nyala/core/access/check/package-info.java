/**
 * Checks of access rules for administrators: rules that never decide, and names without entries.
 *
 * <p>Public face: {@link RulesCheck} and {@link NamedEntries}. Nothing in it runs while a server
 * serves.
 */
@NullMarked
package org.nyala.core.access.check;

import org.jspecify.annotations.NullMarked;
