package org.nyala.core.operation.update;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.schema.load.ExtendedSchema.Addition;

/**
 * A Modify of the subschema subentry, applied to the definitions that were added to the schema (RFC
 * 4512, section 4.2). Definitions of the server's files stay as they are.
 *
 * <p>Confined to one running operation.
 */
final class SchemaModification {
  private static final int ADD = 0;
  private static final int DELETE = 1;
  private static final int REPLACE = 2;

  /** Every schema change links all definitions again. */
  private static final int MAXIMUM_ADDITIONS = 10_000;

  private final ExtendedSchema before;
  private final List<Addition> additions;

  SchemaModification(ExtendedSchema before) {
    this.before = before;
    this.additions = new ArrayList<>(before.additions());
  }

  /**
   * Carries out changes, in their order.
   *
   * @return the schema that they come to
   * @throws LdapOperationException if one cannot be carried out, or the definitions do not fit
   *     together
   */
  ExtendedSchema apply(List<Request.Change> changes) throws LdapOperationException {
    for (Request.Change change : changes) {
      DefinitionKind kind = kind(change.attribute().attribute());
      switch (change.kind()) {
        case ADD -> add(kind, change.attribute().values());
        case DELETE -> delete(kind, change.attribute().values());
        case REPLACE -> replace(kind, change.attribute().values());
        default -> throw unwilling("definitions can only be added, deleted and replaced");
      }
    }
    if (additions.size() > MAXIMUM_ADDITIONS) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + MAXIMUM_ADDITIONS + " definitions");
    }
    try {
      return before.with(additions);
    } catch (InvalidSchemaException e) {
      throw unwilling(message(e));
    }
  }

  private DefinitionKind kind(String description) throws LdapOperationException {
    AttributeType type = before.schema().attributeType(description);
    DefinitionKind kind = null;
    if (type != null) {
      for (String name : type.names()) {
        kind = kind == null ? DefinitionKind.ofAttribute(name) : kind;
      }
    }
    if (kind == null) {
      throw unwilling("'" + description + "' of the schema cannot be changed");
    }
    return kind;
  }

  private void add(DefinitionKind kind, List<byte[]> values) throws LdapOperationException {
    if (values.isEmpty()) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, kind.attribute() + ": no values to add");
    }
    for (int i = 0; i < values.size(); i++) {
      Addition addition = parse(kind, values.get(i), i);
      if (indexOf(kind, addition.oid()) >= 0 || isBuiltIn(kind, addition.oid())) {
        throw new LdapOperationException(
            ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
            kind.attribute() + ": " + addition.oid() + " is defined already");
      }
      additions.add(addition);
    }
  }

  private void delete(DefinitionKind kind, List<byte[]> values) throws LdapOperationException {
    if (values.isEmpty()) {
      throw unwilling(kind.attribute() + ": some of the definitions are the server's own");
    }
    for (int i = 0; i < values.size(); i++) {
      String oid = oid(kind, values.get(i), i);
      int index = indexOf(kind, oid);
      if (index >= 0) {
        additions.remove(index);
      } else if (isBuiltIn(kind, oid)) {
        throw unwilling(kind.attribute() + ": " + oid + " is one of the server's own definitions");
      } else {
        throw new LdapOperationException(
            ResultCode.NO_SUCH_ATTRIBUTE, kind.attribute() + ": " + oid + " is not defined");
      }
    }
  }

  /** A value may be named by its first component alone, by which definitions are compared. */
  private static String oid(DefinitionKind kind, byte[] value, int index)
      throws LdapOperationException {
    String text = new String(value, StandardCharsets.UTF_8).strip();
    return text.startsWith("(") ? parse(kind, value, index).oid() : text;
  }

  private void replace(DefinitionKind kind, List<byte[]> values) throws LdapOperationException {
    Set<String> missing = new HashSet<>(kind.oids(before.base()));
    Set<String> given = new HashSet<>();
    List<Addition> kept = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      Addition addition = parse(kind, values.get(i), i);
      if (!given.add(addition.oid())) {
        throw new LdapOperationException(
            ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
            kind.attribute() + ": " + addition.oid() + " is defined twice");
      }
      missing.remove(addition.oid());
      String builtIn = kind.describe(before.base(), addition.oid());
      if (builtIn == null || !isBuiltIn(kind, addition.oid())) {
        kept.add(addition);
      } else if (!builtIn.equals(addition.text())) {
        throw unwilling(
            kind.attribute() + ": " + addition.oid() + " is one of the server's own definitions");
      }
    }
    if (!missing.isEmpty()) {
      throw unwilling(
          kind.attribute()
              + ": without "
              + missing.iterator().next()
              + ", which is one of the server's own definitions");
    }
    additions.removeIf(addition -> addition.kind() == kind);
    additions.addAll(kept);
  }

  private static Addition parse(DefinitionKind kind, byte[] value, int index)
      throws LdapOperationException {
    try {
      return ExtendedSchema.parse(kind, new String(value, StandardCharsets.UTF_8));
    } catch (InvalidSchemaException e) {
      throw new LdapOperationException(
          ResultCode.INVALID_ATTRIBUTE_SYNTAX,
          kind.attribute() + ": value " + (index + 1) + ": " + message(e));
    }
  }

  private boolean isBuiltIn(DefinitionKind kind, String oid) {
    return kind.oids(before.base()).contains(oid);
  }

  private int indexOf(DefinitionKind kind, String oid) {
    for (int i = 0; i < additions.size(); i++) {
      if (additions.get(i).kind() == kind && additions.get(i).oid().equals(oid)) {
        return i;
      }
    }
    return -1;
  }

  private static LdapOperationException unwilling(String why) {
    return new LdapOperationException(ResultCode.UNWILLING_TO_PERFORM, why);
  }

  static String message(InvalidSchemaException e) {
    @Nullable String message = e.getMessage();
    return message == null ? "invalid" : message;
  }
}
