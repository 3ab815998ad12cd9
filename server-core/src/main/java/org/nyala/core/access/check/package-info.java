/**
 * Checks of access rules for administrators: what never decides, and names without entries.
 *
 * <p>Public face: {@link RulesCheck} and {@link NamedEntries}. Nothing in it runs while a server
 * serves.
 */
@NullMarked
package org.nyala.core.access.check;

import org.jspecify.annotations.NullMarked;
