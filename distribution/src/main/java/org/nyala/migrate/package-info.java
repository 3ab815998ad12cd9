/**
 * The move from slapd: its configuration, schema and data read, and a configuration of Nyala with a
 * report made of them.
 *
 * <p>Public face: {@link Migration}, {@link MigrationReport}, {@link DirectiveTable}. Nothing in it
 * runs while a server serves.
 */
@NullMarked
package org.nyala.migrate;

import org.jspecify.annotations.NullMarked;
