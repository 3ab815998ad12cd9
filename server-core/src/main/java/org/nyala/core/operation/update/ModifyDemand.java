package org.nyala.core.operation.update;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.RulesAttribute;
import org.nyala.core.rules.RequestedChange;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The rights that a modify needs: to each value that is added, removed or incremented, and to
 * manage passwords that the client has hashed itself, access rules, and whatever is changed while
 * the rules of the data model are relaxed.
 *
 * <p>Immutable.
 */
final class ModifyDemand implements UpdateRights.Demand {
  private final List<RequestedChange> changes;
  private final Set<AttributeDescription> sentHashed;
  private final boolean isPermissive;
  private final boolean isRelaxed;

  private ModifyDemand(
      List<RequestedChange> changes,
      Set<AttributeDescription> sentHashed,
      UpdateControls controls) {
    this.changes = changes;
    this.sentHashed = sentHashed;
    this.isPermissive = controls.permissive();
    this.isRelaxed = controls.relaxed();
  }

  /** Returns what changes need. */
  static ModifyDemand of(
      Schema schema, List<RequestedChange> changes, Requester requester, UpdateControls controls) {
    return new ModifyDemand(changes, described(schema, requester.sentHashed()), controls);
  }

  /** Returns what the change of a password needs whose stored form is the server's choice. */
  static UpdateRights.Demand ofPassword(Schema schema) {
    AttributeType type = schema.attributeType("userPassword");
    if (type == null) {
      return (_, _, _) -> false;
    }
    AttributeDescription password = AttributeDescription.of(type);
    return (rights, profile, _) -> {
      ValueRights values = rights.values(profile);
      return values.hasAll(password, Right.ADD) && values.hasAll(password, Right.REMOVE);
    };
  }

  /**
   * Returns whether a client manages passwords, as far as access rules decide, or else as root or a
   * writer of others' entries does.
   *
   * @param profile its rights to the entry; null if rules do not decide
   */
  static boolean managesPasswords(
      Schema schema,
      Requester client,
      Dn name,
      @Nullable UpdateRights rights,
      @Nullable Profile profile) {
    if (rights == null || profile == null) {
      return !client.isOwner(name);
    }
    AttributeType type = schema.attributeType("userPassword");
    return type != null
        && rights.values(profile).hasAll(AttributeDescription.of(type), Right.MANAGE);
  }

  /** Returns whether the client may read the passwords of an entry, as they are stored. */
  static boolean seesPasswords(Schema schema, UpdateRights rights, EntryView entry)
      throws LdapOperationException {
    AttributeType type = schema.attributeType("userPassword");
    return type != null
        && rights.values(rights.of(entry)).hasAll(AttributeDescription.of(type), Right.READ);
  }

  /** Returns the attributes of some names. */
  static Set<AttributeDescription> described(Schema schema, Set<String> names) {
    Set<AttributeDescription> described = new HashSet<>(names.size());
    for (String name : names) {
      AttributeDescription description = AttributeDescription.parse(schema, name);
      if (description != null) {
        described.add(description);
      }
    }
    return described;
  }

  /** Without changes, the client must be allowed to know the entry. */
  @Override
  public boolean isMet(UpdateRights rights, Profile profile, EntryView entry) {
    ValueRights values = rights.values(profile);
    for (RequestedChange change : changes) {
      if (!isAllowed(values, change, rights.transaction(), entry)) {
        return false;
      }
    }
    return !changes.isEmpty() || profile.allowsEntry(Right.DISCLOSE);
  }

  private boolean isAllowed(
      ValueRights rights, RequestedChange change, ReadTransaction transaction, EntryView entry) {
    AttributeDescription attribute = change.description();
    boolean isManaged = isRelaxed || RulesAttribute.isHeldIn(attribute.type());
    if (isManaged && !rights.hasAll(attribute, Right.MANAGE)) {
      return false;
    }
    List<byte[]> values = change.values().toList();
    return switch (change.kind()) {
      case ADD -> mayAdd(rights, attribute, values);
      case DELETE ->
          values.isEmpty()
              ? rights.hasOnStored(attribute, Right.REMOVE, transaction, entry)
              : rights.has(attribute, Right.REMOVE, values);
      case REPLACE ->
          rights.hasOnStored(attribute, Right.REMOVE, transaction, entry)
              && mayAdd(rights, attribute, values);
      case INCREMENT ->
          rights.hasOnStored(attribute, Right.INCREMENT, transaction, entry)
              && (!isPermissive
                  || ValueRights.index(attribute, transaction, entry) >= 0
                  || rights.has(attribute, Right.ADD, values));
    };
  }

  private boolean mayAdd(ValueRights rights, AttributeDescription attribute, List<byte[]> values) {
    return rights.has(attribute, Right.ADD, values)
        && (!sentHashed.contains(attribute) || rights.has(attribute, Right.MANAGE, values));
  }

  /**
   * Returns whether the client may increment to the numbers that an attribute has afterwards.
   *
   * @param entry the entry as it is
   * @param made the changes to it
   */
  static boolean mayMake(
      UpdateRights rights,
      EntryView entry,
      AttributeDescription attribute,
      List<AttributeChange> made)
      throws LdapOperationException {
    ValueRights values = rights.values(rights.of(entry));
    for (AttributeChange change : made) {
      if (change.description().equals(attribute)
          && change instanceof AttributeChange.Replaced replaced
          && !values.has(attribute, Right.INCREMENT, replaced.values())) {
        return false;
      }
    }
    return true;
  }
}
