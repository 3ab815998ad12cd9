package org.nyala.core.schema;

/** A schema file or definition is not what RFC 4512, section 4.1, says; the message tells where. */
public final class InvalidSchemaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says where, and what. */
  public InvalidSchemaException(String message) {
    super(message);
  }
}
