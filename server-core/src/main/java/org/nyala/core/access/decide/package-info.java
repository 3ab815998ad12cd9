/**
 * The compiled evaluation of access rules: rules are compiled once for a schema, decided once for a
 * client as far as they do not depend on entries, once for the entries directly below each parent
 * as far as names decide, and for each entry only by the tests that remain.
 *
 * <p>Public face: {@link CompiledRules}, {@link ClientRules} for one client, {@link EntryAccess}
 * for one running operation and {@link Profile}, the answers for entries that are treated alike.
 */
@NullMarked
package org.nyala.core.access.decide;

import org.jspecify.annotations.NullMarked;
