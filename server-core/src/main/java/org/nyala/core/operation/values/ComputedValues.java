package org.nyala.core.operation.values;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.ReadServices;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.schema.DitStructureRule;
import org.nyala.extension.AttributeSource;

/**
 * Computes the requested attributes that no store holds, as a client may see them: whatever shows
 * or compares values gets them here.
 */
public final class ComputedValues {
  private ComputedValues() {}

  /**
   * Returns whether a search requests any.
   *
   * @param asked the attributes that are requested
   * @param manageDsaIt true if what completes stored values is not shown as if it were stored
   */
  public static boolean areSelected(
      ReadServices reading, AttributeSelection asked, boolean manageDsaIt) {
    List<AttributeProviders.Computed> all = reading.providers().computed();
    for (int i = 0; i < all.size(); i++) {
      AttributeProviders.Computed each = all.get(i);
      if (isShown(each, manageDsaIt) && asked.selects(each.description())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isShown(AttributeProviders.Computed attribute, boolean manageDsaIt) {
    return !manageDsaIt || !attribute.isCompleted();
  }

  /**
   * The selected ones for an entry, each a whole BER {@code PartialAttribute}.
   *
   * @param groups the groups of the entry, if these are selected
   * @param manageDsaIt true if what completes stored values is not shown as if it were stored
   * @param rights the rights of the client, who is not told of groups that it may not read; null if
   *     there are no access rules
   * @return null if the slice ends before: another call with the same entry goes on
   * @throws LdapOperationException like {@link GroupNames#of}
   */
  public static @Nullable List<byte[]> of(
      GroupNames groups,
      AttributeSelection selection,
      boolean manageDsaIt,
      @Nullable EntryRights rights,
      ReadTransaction transaction,
      EntryView view)
      throws LdapOperationException {
    List<AttributeProviders.Computed> all = groups.directory().reading().providers().computed();
    List<byte[]> attributes = new ArrayList<>(3);
    for (int i = 0; i < all.size(); i++) {
      AttributeProviders.Computed each = all.get(i);
      if (isShown(each, manageDsaIt) && selection.selects(each.description())) {
        List<byte[]> values = values(each.attribute(), groups, rights, transaction, view);
        if (values == null) {
          return null;
        }
        if (!values.isEmpty()) {
          attributes.add(
              PartialAttributes.encode(each.name(), selection.typesOnly() ? List.of() : values));
        }
      }
    }
    return attributes;
  }

  /**
   * The values of an attribute of an entry; none if it does not have it.
   *
   * @param groups the groups of the entry, if these are the values
   * @param rights the rights of the client, who is not told of groups that it may not read; null if
   *     there are no access rules
   * @return null if the slice ends before: another call with the same entry goes on
   * @throws LdapOperationException like {@link GroupNames#of}
   */
  public static @Nullable List<byte[]> values(
      ComputedAttribute attribute,
      GroupNames groups,
      @Nullable EntryRights rights,
      ReadTransaction transaction,
      EntryView view)
      throws LdapOperationException {
    OperationContext directory = groups.directory();
    return switch (attribute) {
      case ENTRY_DN -> List.of(view.dn());
      case SUBSCHEMA_SUBENTRY -> one(AttributeProviders.SUBSCHEMA_DN);
      case HAS_SUBORDINATES -> one(transaction.hasSubordinates(view.id()) ? "TRUE" : "FALSE");
      case NUM_SUBORDINATES -> one(Long.toString(transaction.subordinateCount(view.id())));
      case ENTRY_TTL -> ofExtension(directory, attribute, transaction, view);
      case GOVERNING_STRUCTURE_RULE -> structureRule(directory, transaction, view);
      case CONTEXT_CSN -> contextCsns(transaction, view);
      case PASSWORD_POLICY -> policy(directory, transaction, view);
      case MEMBER_OF -> groups.of(rights, transaction, view);
    };
  }

  private static List<byte[]> one(String value) {
    return List.of(value.getBytes(StandardCharsets.UTF_8));
  }

  private static List<byte[]> ofExtension(
      OperationContext directory,
      ComputedAttribute attribute,
      ReadTransaction transaction,
      EntryView view) {
    AttributeSource source = directory.hooks().attribute(attribute.oid());
    return source == null ? List.of() : source.values(transaction, view);
  }

  private static List<byte[]> structureRule(
      OperationContext directory, ReadTransaction transaction, EntryView view) {
    DitStructureRule rule = directory.updating().structureRules().governing(transaction, view.id());
    return rule == null ? List.of() : one(Integer.toString(rule.ruleId()));
  }

  /** The changes that a naming context has, of the entry at its top. */
  private static List<byte[]> contextCsns(ReadTransaction transaction, EntryView view) {
    if (view.parentId() != ReadTransaction.NO_ENTRY) {
      return List.of();
    }
    List<byte[]> values = new ArrayList<>();
    for (Csn csn : transaction.contextCsns(view.id()).csns()) {
      values.add(csn.toString().getBytes(StandardCharsets.UTF_8));
    }
    return values;
  }

  /** The policy that applies to an entry with a password which names none. */
  private static List<byte[]> policy(
      OperationContext directory, ReadTransaction transaction, EntryView view) {
    Dn policy = EffectivePolicy.of(directory, transaction, view);
    return policy == null ? List.of() : List.of(policy.raw());
  }
}
