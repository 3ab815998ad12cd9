package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Reads policies and the state of accounts from entries.
 *
 * <p>Thread-safe. What an entry says that cannot be understood is taken for the stricter side: an
 * account is locked; an attribute of a policy counts as if it were not there.
 */
public final class PolicyReader {
  /** The year by which an account is locked until somebody unlocks it: {@code 000001010000Z}. */
  private static final String FOR_GOOD = "0000";

  private static final int DEFAULT_RECORDED = 5;
  private static final System.Logger LOG = System.getLogger(PolicyReader.class.getName());

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
  private volatile Columns columns = new Columns(AttributeTable.EMPTY, new boolean[1], false);
  private volatile @Nullable KnownPolicy knownPolicy;
  private final AtomicBoolean hasToldOfMissing = new AtomicBoolean();

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
    if (!saysAnything(entry, transaction.attributes())) {
      return defaultPolicy == null
          ? Standing.NONE
          : new Standing(known(defaultPolicy, entry, transaction), AccountState.NEW);
    }
    AccountState state = state(entry, transaction);
    List<byte[]> named = values(entry, transaction, policy);
    Dn name = named.isEmpty() ? null : parsed(named.getFirst());
    boolean isThere = name != null && transaction.find(name) != ReadTransaction.NO_ENTRY;
    Dn inForce = isThere ? name : defaultPolicy;
    return new Standing(
        inForce == null ? PasswordPolicy.NONE : known(inForce, entry, transaction), state);
  }

  private @Nullable Dn parsed(byte[] value) {
    try {
      return DnParser.parse(schema, new String(value, UTF_8));
    } catch (InvalidDnException _) {
      return null;
    }
  }

  /** Reads the state of an account from its entry. */
  private AccountState state(EntryView entry, ReadTransaction transaction) {
    boolean isForGood = false;
    Instant since = null;
    for (byte[] value : values(entry, transaction, locked)) {
      since = PolicyTimes.parse(value);
      isForGood = since == null || new String(value, US_ASCII).startsWith(FOR_GOOD);
    }
    List<Instant> times = new ArrayList<>();
    for (byte[] value : values(entry, transaction, failures)) {
      Instant time = PolicyTimes.parse(value);
      if (time != null) {
        times.add(time);
      }
    }
    Instant starts = time(entry, transaction, start, Instant.MAX);
    Instant ends = time(entry, transaction, end, Instant.MIN);
    return !isForGood && since == null && times.isEmpty() && starts == null && ends == null
        ? AccountState.NEW
        : new AccountState(isForGood, since, times, starts, ends);
  }

  private @Nullable Instant time(
      EntryView entry,
      ReadTransaction transaction,
      @Nullable AttributeSelector attribute,
      Instant otherwise) {
    List<byte[]> values = values(entry, transaction, attribute);
    return values.isEmpty()
        ? null
        : Objects.requireNonNullElse(PolicyTimes.parse(values.getFirst()), otherwise);
  }

  /** Returns whether an entry says anything about the account. */
  private boolean saysAnything(EntryView entry, AttributeTable table) {
    Columns known = columns;
    if (known.table() != table) {
      known = columns(table);
      columns = known;
    }
    int count = entry.attributeCount();
    return known.hasAny() && entry.indexOf(true, known.selected(), 0, count) < count;
  }

  private Columns columns(AttributeTable table) {
    boolean[] selected = new boolean[table.size() + 1];
    boolean hasAny = false;
    for (AttributeSelector each : Arrays.asList(policy, locked, failures, start, end)) {
      for (int id = 1; each != null && id <= table.size(); id++) {
        selected[id] |= each.selects(table, id);
        hasAny |= selected[id];
      }
    }
    return new Columns(table, selected, hasAny);
  }

  /** The numbers of the attributes of accounts. */
  private record Columns(AttributeTable table, boolean[] selected, boolean hasAny) {}

  /** The policy of a name in a state of a store. */
  private record KnownPolicy(Dn name, long snapshot, PasswordPolicy policy) {}

  private PasswordPolicy known(Dn name, EntryView view, ReadTransaction transaction) {
    long snapshot = transaction.snapshot();
    // What a writer sees may never be committed.
    if (snapshot == ReadTransaction.UNKNOWN_SNAPSHOT || transaction instanceof WriteTransaction) {
      return policy(name, view, transaction);
    }
    KnownPolicy latest = knownPolicy;
    if (latest == null || latest.snapshot() != snapshot || !latest.name().equals(name)) {
      latest = new KnownPolicy(name, snapshot, policy(name, view, transaction));
      knownPolicy = latest;
    }
    return latest.policy();
  }

  private PasswordPolicy policy(Dn name, EntryView view, ReadTransaction transaction) {
    long id = transaction.find(name);
    if (id == ReadTransaction.NO_ENTRY || !transaction.read(id, view)) {
      if (hasToldOfMissing.compareAndSet(false, true)) {
        LOG.log(
            System.Logger.Level.WARNING,
            "there is no password policy {0} (passwordPolicy.default): wrong passwords do not count",
            name);
      }
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
