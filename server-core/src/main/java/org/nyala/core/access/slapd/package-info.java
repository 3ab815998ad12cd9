/**
 * The access rules and limits of slapd, read from its configuration and written in the language of
 * {@code core.access.rule}, so that nobody may do more than with slapd.
 *
 * <p>Public face: {@link SlapdImport}. Nothing in it runs while a server serves.
 */
@NullMarked
package org.nyala.core.access.slapd;

import org.jspecify.annotations.NullMarked;
