package org.nyala.core.operation.search;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.session.Operation;

/**
 * The usability of accounts, as the response control of Sun's directories tells it with each entry
 * that has a password, to those who may compare that: root, or whoever a rule lets. Stateless.
 */
final class AccountUsability {
  private AccountUsability() {}

  /** Returns the control of an entry; none if it has no password, or the client is not told. */
  static List<ResponseControl> of(
      SearchPlan plan, Operation operation, ReadTransaction transaction, EntryView view) {
    AttributeDescription password = password(transaction, view);
    if (password == null || !isTold(plan, operation, view, password)) {
      return List.of();
    }
    byte[] value = plan.directory().accounts().usability(view, transaction);
    return value == null
        ? List.of()
        : List.of(new ResponseControl(ControlType.ACCOUNT_USABILITY.oid(), value));
  }

  private static @Nullable AttributeDescription password(
      ReadTransaction transaction, EntryView view) {
    for (int i = 0; i < view.attributeCount(); i++) {
      AttributeDescription each = transaction.attributes().description(view.attributeId(i));
      if (SecretTypes.isPassword(each.type())) {
        return each;
      }
    }
    return null;
  }

  private static boolean isTold(
      SearchPlan plan, Operation operation, EntryView view, AttributeDescription password) {
    Profile profile = plan.profile(view);
    return operation.identity().isRoot()
        || profile != null
            && Rights.has(profile.rights(password), Right.COMPARE)
            && profile.onValues(password, Right.COMPARE) == Answer.GRANTED;
  }
}
