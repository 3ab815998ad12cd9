/**
 * The migration from slapd: reads its configuration, schema and data, and writes a configuration of
 * Nyala and a report.
 *
 * <p>Public face: {@link Migration}, {@link MigrationReport}, {@link DirectiveTable}. Nothing in it
 * runs while a server serves.
 */
@NullMarked
package org.nyala.migrate;

import org.jspecify.annotations.NullMarked;
