package org.nyala.core.schema;

/**
 * Thrown if a schema file or definition does not conform to RFC 4512, section 4.1; the message
 * contains the place.
 */
public final class InvalidSchemaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception with a message that describes the place and the fault. */
  public InvalidSchemaException(String message) {
    super(message);
  }
}
