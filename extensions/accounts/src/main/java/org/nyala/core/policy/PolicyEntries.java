package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.Schema;

/**
 * The policies that entries are, read once for each state of a store.
 *
 * <p>Thread-safe. An attribute that cannot be understood counts as if it were not there.
 */
final class PolicyEntries {
  private static final int DEFAULT_RECORDED = 5;
  private static final int MOST_KNOWN = 64;
  private static final System.Logger LOG = System.getLogger(PolicyEntries.class.getName());

  private final Schema schema;
  private final Function<Dn, @Nullable Backend> stores;
  private volatile Known known =
      new Known(AttributeTable.EMPTY, ReadTransaction.UNKNOWN_SNAPSHOT, Map.of());
  private final Set<Dn> missing = ConcurrentHashMap.newKeySet();

  /**
   * The policies that were read in a state of a store; those that do not exist have none.
   *
   * @param table the attributes of the store, which tell it from others
   */
  private record Known(AttributeTable table, long snapshot, Map<Dn, PolicyOrNone> policies) {
    boolean isOf(ReadTransaction transaction) {
      return table == transaction.attributes() && snapshot == transaction.snapshot();
    }
  }

  private record PolicyOrNone(@Nullable PasswordPolicy policy) {}

  PolicyEntries(Schema schema, Function<Dn, @Nullable Backend> stores) {
    this.schema = schema;
    this.stores = stores;
  }

  /**
   * Returns the policy of a name; null if there is none.
   *
   * @param account shows the entry of the account
   * @param transaction the state of the store of the account, where it is looked for first
   */
  @Nullable PasswordPolicy find(Dn name, EntryView account, ReadTransaction transaction) {
    PasswordPolicy found = findHere(name, transaction);
    return found == null ? findElsewhere(name, account) : found;
  }

  private @Nullable PasswordPolicy findHere(Dn name, ReadTransaction transaction) {
    long snapshot = transaction.snapshot();
    // A writer's state may never be committed.
    if (snapshot == ReadTransaction.UNKNOWN_SNAPSHOT || transaction instanceof WriteTransaction) {
      return read(name, transaction);
    }
    Known latest = known;
    PolicyOrNone found = latest.isOf(transaction) ? latest.policies().get(name) : null;
    if (found == null) {
      found = new PolicyOrNone(read(name, transaction));
      keep(latest, transaction, name, found);
    }
    return found.policy();
  }

  private void keep(Known latest, ReadTransaction transaction, Dn name, PolicyOrNone found) {
    boolean isFurther = latest.isOf(transaction) && latest.policies().size() < MOST_KNOWN;
    Map<Dn, PolicyOrNone> policies = new HashMap<>(isFurther ? latest.policies() : Map.of());
    policies.put(name, found);
    known = new Known(transaction.attributes(), transaction.snapshot(), policies);
  }

  /** Looks into the store of the name, which may be another one than that of the account. */
  private @Nullable PasswordPolicy findElsewhere(Dn name, EntryView account) {
    Backend store = stores.apply(name);
    boolean isHere = store == stores.apply(DnParser.parseStored(schema, account.dn()));
    if (store == null || isHere) {
      return null;
    }
    try (ReadTransaction transaction = store.beginRead()) {
      return read(name, transaction);
    }
  }

  /** Logs, once for each, a policy that is named and does not exist. */
  void tellOfMissing(Dn name) {
    if (missing.size() < MOST_KNOWN && missing.add(name)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "there is no password policy {0}: accounts that need it have none",
          name);
    }
  }

  static @Nullable PasswordPolicy read(Dn name, ReadTransaction transaction) {
    return transaction.readAside(
        transaction.find(name),
        view -> {
          Map<String, String> values = values(view, transaction);
          return values.containsKey("pwdAttribute") ? policy(values) : null;
        });
  }

  /** Returns the single values of the attributes that policies have, by their names. */
  private static Map<String, String> values(EntryView view, ReadTransaction transaction) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      AttributeDescription description = transaction.attributes().description(view.attributeId(i));
      String name = description.type().name();
      if (name.startsWith("pwd") && !view.isApart(i)) {
        ValueCursor cursor = new ValueCursor().open(view, i);
        if (cursor.next()) {
          values.put(name, new String(cursor.value(), US_ASCII));
        }
      }
    }
    return values;
  }

  private static PasswordPolicy policy(Map<String, String> values) {
    return new PasswordPolicy(lockout(values), aging(values), changes(values));
  }

  private static PasswordPolicy.Lockout lockout(Map<String, String> values) {
    int most = number(values, "pwdMaxFailure", 0);
    int recorded = number(values, "pwdMaxRecordedFailure", 0);
    int least = number(values, "pwdMinDelay", 0);
    return new PasswordPolicy.Lockout(
        isTrue(values, "pwdLockout", false),
        most,
        number(values, "pwdFailureCountInterval", 0),
        number(values, "pwdLockoutDuration", 0),
        recorded > 0 ? recorded : most > 0 ? most : DEFAULT_RECORDED,
        least,
        number(values, "pwdMaxDelay", least),
        number(values, "pwdMaxIdle", 0));
  }

  private static PasswordPolicy.Aging aging(Map<String, String> values) {
    return new PasswordPolicy.Aging(
        number(values, "pwdMinAge", 0),
        number(values, "pwdMaxAge", 0),
        number(values, "pwdExpireWarning", 0),
        number(values, "pwdGraceAuthNLimit", 0),
        number(values, "pwdGraceExpiry", 0));
  }

  private static PasswordPolicy.Changes changes(Map<String, String> values) {
    return new PasswordPolicy.Changes(
        number(values, "pwdInHistory", 0),
        number(values, "pwdCheckQuality", 0),
        number(values, "pwdMinLength", 0),
        number(values, "pwdMaxLength", 0),
        isTrue(values, "pwdMustChange", false),
        isTrue(values, "pwdAllowUserChange", true),
        isTrue(values, "pwdSafeModify", false),
        isTrue(values, "pwdUseCheckModule", false));
  }

  private static boolean isTrue(Map<String, String> values, String name, boolean otherwise) {
    String value = values.get(name);
    return value == null ? otherwise : "TRUE".equalsIgnoreCase(value);
  }

  private static int number(Map<String, String> values, String name, int otherwise) {
    String value = values.get(name);
    return value != null && value.matches("\\d{1,9}") ? Integer.parseInt(value) : otherwise;
  }
}
