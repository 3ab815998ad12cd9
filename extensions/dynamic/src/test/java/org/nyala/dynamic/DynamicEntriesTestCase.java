package org.nyala.dynamic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

/** A directory with dynamic entries, whose clock the test controls. */
public abstract class DynamicEntriesTestCase {
  public static final String CALL = "cn=call," + TOP;
  public static final String PART = "cn=part," + CALL;
  public static final String TTL = "entryTtl";

  public UpdateFixture directory = new UpdateFixture();
  public DynamicEntries entries;

  @BeforeEach
  public void enable() {
    lifetimes(Optional.of(new DynamicSettings(90_000, 10, 600, 5, 1000)));
  }

  /** Sets the lifetimes, before the directory is in use. */
  public void lifetimes(Optional<DynamicSettings> settings) {
    UpdateFixture fixture = directory;
    fixture.extensions.remove(entries);
    entries = new DynamicEntries(settings, () -> fixture.now);
    fixture.extensions.add(entries);
  }

  @AfterEach
  void close() {
    directory.close();
  }

  public static Request.Add dynamic(String name) {
    String value = UpdateFixture.dn(name).toString();
    String cn = value.substring(3, value.indexOf(','));
    return UpdateFixture.add(
        name, "objectClass", "device", "objectClass", "dynamicObject", "cn", cn);
  }

  public void add(String name) {
    assertThat(directory.code(dynamic(name))).as(name).isEqualTo(ResultCode.SUCCESS);
  }

  public void pass(long seconds) {
    directory.now = directory.now.plusSeconds(seconds);
  }

  /** Deletes expired entries, and waits for that. */
  public void sweep() {
    directory.operations();
    entries.expire();
    // The writer processes changes in order.
    assertThat(directory.code(modify(TOP, change(2, "description", "swept"))))
        .isEqualTo(ResultCode.SUCCESS);
  }

  public static byte[] value(String name, int ttlSeconds) {
    BerWriter content =
        new BerWriter()
            .octets(0x80, name.getBytes(StandardCharsets.UTF_8))
            .integer(0x81, ttlSeconds);
    return new BerWriter().sequence(content).toByteArray();
  }

  public RecordingSink refresh(byte @Nullable [] value) {
    return directory.run(new Request.Extended(1, RefreshOperation.OID, value, List.of()));
  }

  public ResultCode refresh(String name, int ttlSeconds) {
    return refresh(value(name, ttlSeconds)).code();
  }

  public RecordingSink search(String base, Scope scope, FilterNode filter, String... attributes) {
    return directory.run(OperationFixture.search(base, scope, filter, attributes));
  }

  public @Nullable String remaining(String name) {
    Map<String, List<String>> shown =
        search(name, Scope.BASE, OperationFixture.ALL, "+").attributes.getFirst();
    assertThat(shown.containsKey(TTL)).isEqualTo(shown.containsKey("entryExpireTimestamp"));
    List<String> values = shown.get(TTL);
    return values == null ? null : values.getFirst();
  }
}
