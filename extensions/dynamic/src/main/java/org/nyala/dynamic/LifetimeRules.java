package org.nyala.dynamic;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.rules.EntryRules;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.UpdateContext;
import org.nyala.extension.Directory;
import org.nyala.extension.PlacementRule;

/**
 * The rules of dynamic entries by one schema (RFC 2589): entries that live until the time that is
 * stored in them.
 *
 * <p>Thread-safe.
 */
final class LifetimeRules implements PlacementRule {
  /** The computed attribute that shows the time left. */
  static final String ENTRY_TTL_OID = ComputedAttribute.ENTRY_TTL.oid();

  /** An entry that holds no time of its end. */
  static final long NO_EXPIRY = -1;

  private static final int SECONDS_DIGITS = 14;
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final DynamicEntries entries;
  private final Directory directory;
  private final Optional<DynamicSettings> settings;
  private final InstantSource clock;
  private final @Nullable AttributeDescription timestamp;
  private final @Nullable AttributeSelector selector;
  private volatile @Nullable CompiledFilter test;

  /**
   * Looks up the schema elements that dynamic entries need.
   *
   * @throws IllegalArgumentException if there are dynamic entries and the schema does not define
   *     them
   */
  LifetimeRules(DynamicEntries entries, Directory directory) {
    this.entries = entries;
    this.directory = directory;
    this.settings = entries.settings();
    this.clock = entries.clock();
    Schema schema = directory.schema();
    AttributeType type = schema.attributeType(AttributeProviders.EXPIRE_TIMESTAMP_OID);
    this.timestamp = type == null ? null : AttributeDescription.of(type);
    this.selector = timestamp == null ? null : new AttributeSelector(timestamp);
    boolean isKnown =
        timestamp != null && schema.objectClass(EntryRules.DYNAMIC_OBJECT_OID) != null;
    if (settings.isPresent() && !isKnown) {
      throw new IllegalArgumentException(
          "dynamic entries need dynamicObject and entryExpireTimestamp in the schema");
    }
  }

  private static CompiledFilter compile(FilterCompiler filters) {
    byte[] oid = EntryRules.DYNAMIC_OBJECT_OID.getBytes(StandardCharsets.US_ASCII);
    try {
      return filters.compileOwn(new FilterNode.Equality("objectClass", oid));
    } catch (FilterLimitException e) {
      throw new IllegalStateException("a single item is within every limit", e);
    }
  }

  Directory directory() {
    return directory;
  }

  private OperationContext context() {
    return (OperationContext) directory;
  }

  /** The filter that is true for them. */
  CompiledFilter test() {
    CompiledFilter known = test;
    if (known == null) {
      // Directories that are made to check a configuration compile nothing.
      known = compile(context().reading().filters());
      test = known;
    }
    return known;
  }

  /** Returns whether the entry shown by a view is dynamic. */
  boolean isDynamic(OperationScratch scratch, EntryView view, AttributeTable table) {
    return scratch.matcher.match(test(), view, table, _ -> false) == Ternary.TRUE;
  }

  /**
   * Checks that a new entry may be dynamic if it is, and static if it is.
   *
   * @throws LdapOperationException objectClassViolation if there are no dynamic entries,
   *     unwillingToPerform when there are too many, constraintViolation for a static entry below a
   *     dynamic one
   */
  @Override
  public void checkNew(Backend backend, UpdateContext context, ClassSet classes, long parent)
      throws LdapOperationException {
    if (!EntryRules.isDynamic(classes)) {
      checkMoved(context.transaction(), classes, parent);
      return;
    }
    if (settings.isEmpty()) {
      throw new LdapOperationException(
          ResultCode.OBJECT_CLASS_VIOLATION, "this server has no dynamic entries");
    }
    EntryExpiry expiry = entries.expiry(backend);
    if (expiry != null && !expiry.hasRoom(context)) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "there are " + settings.get().entries() + " dynamic entries already");
    }
  }

  /**
   * Checks that an entry may stand below another one.
   *
   * @throws LdapOperationException constraintViolation for a static entry below a dynamic one
   */
  @Override
  public void checkMoved(ReadTransaction transaction, ClassSet classes, long superior)
      throws LdapOperationException {
    if (settings.isEmpty()
        || superior == ReadTransaction.NO_ENTRY
        || EntryRules.isDynamic(classes)) {
      return;
    }
    OperationScratch scratch = context().scratch();
    EntryView view = scratch.other;
    if (transaction.read(superior, view) && isDynamic(scratch, view, transaction.attributes())) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION, "a static entry cannot stand below a dynamic one");
    }
  }

  /** Sets the end of a new entry, if it is dynamic. */
  @Override
  public void complete(Entry entry, ClassSet classes) {
    AttributeDescription known = timestamp;
    if (known != null && settings.isPresent() && EntryRules.isDynamic(classes)) {
      entry.add(known, timestampIn(settings.get().defaultTtlSeconds()));
    }
  }

  /** Returns the change by which an entry lives for the given time from now on. */
  AttributeChange living(int ttlSeconds) {
    AttributeDescription known = timestamp;
    if (known == null) {
      throw new IllegalStateException("the schema has no entryExpireTimestamp");
    }
    return new AttributeChange.Replaced(known, List.of(timestampIn(ttlSeconds)));
  }

  /** Rounded up to the second: an entry lives as long as was said, or longer. */
  private byte[] timestampIn(int ttlSeconds) {
    Instant now = clock.instant();
    long second = now.getEpochSecond() + ttlSeconds + (now.getNano() > 0 ? 1 : 0);
    return SECONDS.format(Instant.ofEpochSecond(second)).getBytes(StandardCharsets.US_ASCII);
  }

  /** The time of day in whole seconds since 1970. */
  long nowSecond() {
    return clock.instant().getEpochSecond();
  }

  /** Returns the whole seconds that an entry has left, 0 if its time is over; none if no end. */
  List<byte[]> remaining(EntryView view, AttributeTable table) {
    long atSecond = expirySecond(view, table);
    if (atSecond == NO_EXPIRY) {
      return List.of();
    }
    Instant now = clock.instant();
    long left = Math.max(0, atSecond - now.getEpochSecond() - (now.getNano() > 0 ? 1 : 0));
    return List.of(Long.toString(left).getBytes(StandardCharsets.US_ASCII));
  }

  /**
   * Returns the time at which the entry shown by a view ends, in seconds since 1970; {@link
   * #NO_EXPIRY} if it has none.
   */
  long expirySecond(EntryView view, AttributeTable table) {
    AttributeSelector known = selector;
    if (known == null) {
      return NO_EXPIRY;
    }
    for (int i = 0; i < view.attributeCount(); i++) {
      if (known.selects(table, view.attributeId(i))) {
        ValueCursor values = new ValueCursor().open(view, i);
        return values.next() ? second(values.value()) : NO_EXPIRY;
      }
    }
    return NO_EXPIRY;
  }

  private long second(byte[] value) {
    MatchingRule rule = timestamp == null ? null : timestamp.type().equality();
    ByteAppender normalized = new ByteAppender(2 * SECONDS_DIGITS);
    if (rule == null || !rule.valueNormalizer().normalize(value, 0, value.length, normalized)) {
      return NO_EXPIRY;
    }
    return secondOfDigits(normalized.toByteArray());
  }

  /** Reads fourteen digits, down to the second, and rounds up if there are more. */
  private static long secondOfDigits(byte[] digits) {
    int[] fields = new int[(SECONDS_DIGITS - 2) / 2];
    fields[0] = pair(digits, 0) * 100 + pair(digits, 2);
    for (int i = 1; i < fields.length; i++) {
      fields[i] = pair(digits, 2 + 2 * i);
    }
    // A leap second has no place in LocalDateTime.
    int second = Math.min(fields[5], 59);
    return LocalDateTime.of(fields[0], fields[1], fields[2], fields[3], fields[4], second)
            .toEpochSecond(ZoneOffset.UTC)
        + (digits.length > SECONDS_DIGITS || second < fields[5] ? 1 : 0);
  }

  private static int pair(byte[] digits, int at) {
    return (digits[at] - '0') * 10 + digits[at + 1] - '0';
  }

  /**
   * Returns the second since 1970 at which a change sets the end of its entry, or {@link
   * #NO_EXPIRY} if it sets none.
   */
  static long expirySecond(ResolvedChange change) {
    return switch (change) {
      case ResolvedChange.Add add -> ofEntry(add.entry());
      case ResolvedChange.Modify modify -> ofChanges(modify.changes());
      case ResolvedChange.Rename rename -> ofChanges(rename.changes());
      case ResolvedChange.Delete _ -> NO_EXPIRY;
    };
  }

  private static long ofEntry(Entry entry) {
    for (AttributeDescription description : entry.descriptions()) {
      if (isTimestamp(description)) {
        return ofValues(entry.values(description));
      }
    }
    return NO_EXPIRY;
  }

  private static long ofChanges(List<AttributeChange> changes) {
    for (AttributeChange change : changes) {
      if (isTimestamp(change.description())
          && change instanceof AttributeChange.Replaced(_, List<byte[]> values)) {
        return ofValues(values);
      }
    }
    return NO_EXPIRY;
  }

  private static boolean isTimestamp(AttributeDescription description) {
    return description.type().oid().equals(AttributeProviders.EXPIRE_TIMESTAMP_OID);
  }

  /** Only the server writes these values, and in one form. */
  private static long ofValues(@Nullable List<byte[]> values) {
    return values == null || values.isEmpty() ? NO_EXPIRY : secondOfDigits(seconds(values));
  }

  private static byte[] seconds(List<byte[]> values) {
    return Arrays.copyOf(values.getFirst(), SECONDS_DIGITS);
  }
}
