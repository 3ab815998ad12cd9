/**
 * The evaluation of access rules, compiled: what can be decided for a schema, a client or the
 * children of one parent is decided once, and only the rest for each entry.
 *
 * <p>Public face: {@link CompiledRules}, {@link DecidedRules} for one client, {@link EntryAccess}
 * for one running operation and {@link RuledProfile}, the answers for entries that are treated
 * alike.
 */
@NullMarked
package org.nyala.core.access.decide;

import org.jspecify.annotations.NullMarked;
