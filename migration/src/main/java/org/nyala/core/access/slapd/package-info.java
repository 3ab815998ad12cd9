/**
 * The import of slapd's access rules and limits into the language of {@code core.access.rule}; no
 * client gets a right that slapd did not give.
 *
 * <p>Public face: {@link SlapdImport}. Nothing in it runs while a server serves.
 */
@NullMarked
package org.nyala.core.access.slapd;

import org.jspecify.annotations.NullMarked;
