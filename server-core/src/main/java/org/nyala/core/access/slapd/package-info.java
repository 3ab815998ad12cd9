/**
 * The access rules and limits of slapd, read from its configuration and written in the language of
 * {@code core.access.rule}, so that nobody may do more than with slapd.
 *
 * <p>Public face: {@link SlapdImport}. Nothing in it runs while a server serves.
 *
 * <p>Imports: {@code core.access.rule}, {@code core.dn}, {@code core.entry}, {@code core.message},
 * {@code core.provider}, {@code core.schema}, {@code core.slapd}.
 */
@NullMarked
package org.nyala.core.access.slapd;

import org.jspecify.annotations.NullMarked;
