package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Reads policies and the state of accounts from entries.
 *
 * <p>Thread-safe. What an entry says that cannot be understood is taken for the stricter side: an
 * account is locked, a policy counts as if the attribute were not there.
 */
public final class PolicyReader {
  /** The value by which an account is locked until somebody unlocks it. */
  private static final String FOR_GOOD = "000001010000Z";

  private static final int DEFAULT_RECORDED = 5;

  private final Schema schema;
  private final @Nullable Dn defaultPolicy;
  private final @Nullable AttributeSelector policy;
  private final @Nullable AttributeSelector locked;
  private final @Nullable AttributeSelector failures;
  private final @Nullable AttributeSelector start;
  private final @Nullable AttributeSelector end;
  private final @Nullable AttributeSelector lockout;
  private final @Nullable AttributeSelector maxFailure;
  private final @Nullable AttributeSelector interval;
  private final @Nullable AttributeSelector duration;
  private final @Nullable AttributeSelector recorded;

  /**
   * The policy of an account, and its state.
   *
   * @param policy the policy
   * @param state the state
   */
  public record Standing(PasswordPolicy policy, AccountState state) {
    /** The standing of an account about which nothing is known. */
    public static final Standing NONE = new Standing(PasswordPolicy.NONE, AccountState.NEW);
  }

  /**
   * Creates a reader.
   *
   * @param defaultPolicy the policy of accounts that name none; null for none
   */
  public PolicyReader(Schema schema, @Nullable Dn defaultPolicy) {
    this.schema = schema;
    this.defaultPolicy = defaultPolicy;
    this.policy = selector("pwdPolicySubentry");
    this.locked = selector("pwdAccountLockedTime");
    this.failures = selector("pwdFailureTime");
    this.start = selector("pwdStartTime");
    this.end = selector("pwdEndTime");
    this.lockout = selector("pwdLockout");
    this.maxFailure = selector("pwdMaxFailure");
    this.interval = selector("pwdFailureCountInterval");
    this.duration = selector("pwdLockoutDuration");
    this.recorded = selector("pwdMaxRecordedFailure");
  }

  private @Nullable AttributeSelector selector(String name) {
    AttributeType type = schema.attributeType(name);
    return type == null ? null : new AttributeSelector(AttributeDescription.of(type));
  }

  /**
   * Reads the standing of an account.
   *
   * @param entry the view of its entry; moved to another one
   * @param transaction the state that is read
   */
  public Standing read(EntryView entry, ReadTransaction transaction) {
    AccountState state = state(entry, transaction);
    List<byte[]> named = values(entry, transaction, policy);
    Dn name = named.isEmpty() ? defaultPolicy : parsed(named.getFirst());
    return new Standing(
        name == null ? PasswordPolicy.NONE : policy(name, entry, transaction), state);
  }

  private @Nullable Dn parsed(byte[] value) {
    try {
      return DnParser.parse(schema, new String(value, UTF_8));
    } catch (InvalidDnException _) {
      return null;
    }
  }

  /** Reads the state of an account from its entry. */
  public AccountState state(EntryView entry, ReadTransaction transaction) {
    boolean isForGood = false;
    Instant since = null;
    for (byte[] value : values(entry, transaction, locked)) {
      since = PolicyTimes.parse(value);
      isForGood = since == null || FOR_GOOD.equals(new String(value, US_ASCII));
    }
    List<Instant> times = new ArrayList<>();
    for (byte[] value : values(entry, transaction, failures)) {
      Instant time = PolicyTimes.parse(value);
      if (time != null) {
        times.add(time);
      }
    }
    Instant starts = time(entry, transaction, start);
    Instant ends = time(entry, transaction, end);
    return !isForGood && since == null && times.isEmpty() && starts == null && ends == null
        ? AccountState.NEW
        : new AccountState(isForGood, since, times, starts, ends);
  }

  private @Nullable Instant time(
      EntryView entry, ReadTransaction transaction, @Nullable AttributeSelector attribute) {
    List<byte[]> values = values(entry, transaction, attribute);
    return values.isEmpty() ? null : PolicyTimes.parse(values.getFirst());
  }

  private PasswordPolicy policy(Dn name, EntryView view, ReadTransaction transaction) {
    long id = transaction.find(name);
    if (id == ReadTransaction.NO_ENTRY || !transaction.read(id, view)) {
      return PasswordPolicy.NONE;
    }
    List<byte[]> locks = values(view, transaction, lockout);
    int most = number(view, transaction, maxFailure, 0);
    return new PasswordPolicy(
        !locks.isEmpty() && "TRUE".equalsIgnoreCase(new String(locks.getFirst(), US_ASCII)),
        most,
        number(view, transaction, interval, 0),
        number(view, transaction, duration, 0),
        number(view, transaction, recorded, Math.max(most, DEFAULT_RECORDED)));
  }

  /** Returns the value of a time, to the microsecond. */
  public static byte[] value(Instant time) {
    return PolicyTimes.format(time);
  }

  private static int number(
      EntryView entry,
      ReadTransaction transaction,
      @Nullable AttributeSelector attribute,
      int otherwise) {
    List<byte[]> values = values(entry, transaction, attribute);
    if (values.isEmpty()) {
      return otherwise;
    }
    String digits = new String(values.getFirst(), US_ASCII);
    return digits.matches("\\d{1,9}") ? Integer.parseInt(digits) : otherwise;
  }

  private static List<byte[]> values(
      EntryView entry, ReadTransaction transaction, @Nullable AttributeSelector attribute) {
    if (attribute == null) {
      return List.of();
    }
    List<byte[]> values = List.of();
    for (int i = 0; i < entry.attributeCount(); i++) {
      if (attribute.selects(transaction.attributes(), entry.attributeId(i)) && !entry.isApart(i)) {
        values = values.isEmpty() ? new ArrayList<>(1) : values;
        ValueCursor cursor = new ValueCursor().open(entry, i);
        while (cursor.next()) {
          values.add(cursor.value());
        }
      }
    }
    return values;
  }
}
