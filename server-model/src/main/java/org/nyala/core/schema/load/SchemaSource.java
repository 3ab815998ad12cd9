package org.nyala.core.schema.load;

/**
 * The text of a schema file.
 *
 * <p>Immutable.
 *
 * @param name the file's name, for messages; {@code .ldif} at its end marks an LDIF
 * @param text the content
 */
public record SchemaSource(String name, String text) {}
