package org.nyala.core.operation.values;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.SecretTypes;

/**
 * The password policy that applies to an entry, as {@code pwdPolicySubentry} of entries that do not
 * name one. Stateless.
 */
public final class EffectivePolicy {
  private EffectivePolicy() {}

  /**
   * Returns the policy that applies to the entry that a view shows; null if it names one itself,
   * has no password, or has no policy.
   */
  public static @Nullable Dn of(
      OperationContext directory, ReadTransaction transaction, EntryView view) {
    boolean hasPassword = false;
    for (int i = 0; i < view.attributeCount(); i++) {
      AttributeType type = transaction.attributes().description(view.attributeId(i)).type();
      if (type.equals(directory.accounts().computedPolicy())) {
        return null;
      }
      hasPassword |= SecretTypes.isPassword(type);
    }
    return hasPassword ? directory.accounts().policyOf(view, transaction) : null;
  }
}
