package org.nyala.core.message;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.ElementBudget;

/**
 * A request as the client sent it, off the wire: names unparsed, values as bytes (RFC 4511, section
 * 4).
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 */
public sealed interface Request {
  /** The number that the client gave it, 1 to 2³¹ - 1. */
  int messageId();

  OperationType type();

  List<RequestControl> controls();

  /** Bind (section 4.2); {@code saslMechanism} is null for a simple bind. */
  record Bind(
      int messageId,
      int version,
      String name,
      @Nullable String saslMechanism,
      byte[] credentials,
      List<RequestControl> controls)
      implements Request {
    @Override
    public OperationType type() {
      return OperationType.BIND;
    }
  }

  /** Unbind (section 4.3). */
  record Unbind(int messageId, List<RequestControl> controls) implements Request {
    @Override
    public OperationType type() {
      return OperationType.UNBIND;
    }
  }

  /** Search (section 4.5.1). Limits of 0 are no limit on the client's side. */
  record Search(
      int messageId,
      String base,
      Scope scope,
      DerefAliases derefAliases,
      int sizeLimit,
      int timeLimitSeconds,
      boolean typesOnly,
      FilterNode filter,
      List<String> attributes,
      List<RequestControl> controls)
      implements Request {
    @Override
    public OperationType type() {
      return OperationType.SEARCH;
    }
  }

  /** Compare (section 4.10). */
  record Compare(
      int messageId, String name, String attribute, byte[] value, List<RequestControl> controls)
      implements Request {
    @Override
    public OperationType type() {
      return OperationType.COMPARE;
    }
  }

  /** Abandon (section 4.11). */
  record Abandon(int messageId, int abandonedMessageId, List<RequestControl> controls)
      implements Request {
    @Override
    public OperationType type() {
      return OperationType.ABANDON;
    }
  }

  /** Extended (section 4.12); {@code elements} is the part of the budget that the value has. */
  record Extended(
      int messageId,
      String oid,
      byte @Nullable [] value,
      List<RequestControl> controls,
      @Nullable ElementBudget elements)
      implements Request {
    /** Creates a request that no client has sent. */
    public Extended(
        int messageId, String oid, byte @Nullable [] value, List<RequestControl> controls) {
      this(messageId, oid, value, controls, ElementBudget.of(value));
    }

    /** Returns a reader of the value within the budget of the request; null without a value. */
    public @Nullable BerReader reader() {
      return RequestControl.reader(value, elements);
    }

    @Override
    public OperationType type() {
      return OperationType.EXTENDED;
    }
  }

  /** A named list of values, as in Add. */
  record AttributeValues(String attribute, List<byte[]> values) {}

  /** Add (section 4.7). */
  record Add(
      int messageId, String name, List<AttributeValues> attributes, List<RequestControl> controls)
      implements Request {
    @Override
    public OperationType type() {
      return OperationType.ADD;
    }
  }

  /** Delete (section 4.8). */
  record Delete(int messageId, String name, List<RequestControl> controls) implements Request {
    @Override
    public OperationType type() {
      return OperationType.DELETE;
    }
  }

  /** One change of a Modify; {@code kind} is the number on the wire. */
  record Change(int kind, AttributeValues attribute) {}

  /** Modify (section 4.6). */
  record Modify(int messageId, String name, List<Change> changes, List<RequestControl> controls)
      implements Request {
    @Override
    public OperationType type() {
      return OperationType.MODIFY;
    }
  }

  /** ModifyDN (section 4.9). */
  record ModifyDn(
      int messageId,
      String name,
      String newRdn,
      boolean deleteOldRdn,
      @Nullable String newSuperior,
      List<RequestControl> controls)
      implements Request {
    @Override
    public OperationType type() {
      return OperationType.MODIFY_DN;
    }
  }
}
