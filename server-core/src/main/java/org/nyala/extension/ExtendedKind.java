package org.nyala.extension;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.Request;
import org.nyala.core.session.OperationBody;

/** An extended operation of an extension (RFC 4511, section 4.12). Thread-safe. */
public interface ExtendedKind {
  /** Returns the object identifier of its requests, which the root DSE lists. */
  String oid();

  /** Returns the controls that it honours. */
  Set<ControlType> controls();

  /**
   * Returns whether it may change entries: then it requires the encryption that changes require.
   */
  boolean isChange();

  /**
   * Returns the name of the entry that a request is about, as it is written there; null if it is
   * about none, or malformed.
   */
  default @Nullable String target(Request.Extended request) {
    return null;
  }

  /**
   * Returns the body that carries out a request. Called on the event loop of its connection: it
   * blocks never, reads no store, and looks at the request only.
   *
   * @param directory the one that is in force now
   */
  OperationBody body(Directory directory, Request.Extended request);
}
