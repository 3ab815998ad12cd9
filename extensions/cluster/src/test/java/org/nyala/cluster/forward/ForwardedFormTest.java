package org.nyala.cluster.forward;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.nyala.cluster.LogPosition;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.ClientSource;
import org.nyala.core.session.OperationFixture;

/** The forms of what members pass on and answer, whole and damaged. */
final class ForwardedFormTest {
  private static final int CASES = 3_000;
  private final long seed = Long.getLong("nyala.seed", System.nanoTime());
  private final Random random = new Random(seed);

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(3_000) : random.nextInt(20)];
    random.nextBytes(bytes);
    return bytes;
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(random.nextInt(8) == 0 ? 400 : 12); i > 0; i--) {
      text.appendCodePoint("aé€😀".codePointAt(new int[] {0, 1, 2, 3}[random.nextInt(4)]));
    }
    return text.toString();
  }

  private List<RequestControl> controls() {
    List<RequestControl> controls = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      controls.add(
          new RequestControl(text(), random.nextBoolean(), random.nextBoolean() ? bytes() : null));
    }
    return controls;
  }

  private Request.AttributeValues attribute() {
    List<byte[]> values = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      values.add(bytes());
    }
    return new Request.AttributeValues(text(), values);
  }

  private Request request() {
    int id = random.nextInt(Integer.MAX_VALUE);
    List<Request.AttributeValues> attributes = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      attributes.add(attribute());
    }
    return switch (random.nextInt(5)) {
      case 0 -> new Request.Add(id, text(), attributes, controls());
      case 1 -> new Request.Delete(id, text(), controls());
      case 2 ->
          new Request.Modify(
              id,
              text(),
              attributes.stream().map(each -> new Request.Change(random.nextInt(4), each)).toList(),
              controls());
      case 3 ->
          new Request.ModifyDn(
              id,
              text(),
              text(),
              random.nextBoolean(),
              random.nextBoolean() ? text() : null,
              controls());
      default ->
          new Request.Extended(id, text(), random.nextBoolean() ? bytes() : null, controls());
    };
  }

  private ForwardedClient client() throws Exception {
    InetAddress address =
        InetAddress.getByAddress(
            Arrays.copyOf(new byte[] {10, 1, 2, 3}, random.nextBoolean() ? 4 : 16));
    InetSocketAddress socket =
        random.nextBoolean() ? new InetSocketAddress(address, random.nextInt(65_536)) : null;
    return new ForwardedClient(
        new UUID(random.nextLong(), random.nextLong()),
        random.nextInt(),
        new BoundIdentity(
            UpdateFixture.dn(random.nextBoolean() ? UpdateFixture.ANN : ""),
            random.nextBoolean(),
            random.nextBoolean() ? Set.of() : Set.of(UpdateFixture.dn(UpdateFixture.TOP))),
        text(),
        random.nextBoolean(),
        random.nextInt(300),
        List.of(ClientConnection.Layer.values()).get(random.nextInt(3)),
        random.nextBoolean(),
        new ClientSource(
            socket,
            random.nextBoolean() ? socket : null,
            random.nextBoolean() ? null : new ClientSource.LocalProcess(-2, 7, 1 << 30)),
        text(),
        text(),
        text());
  }

  private Forwarded forwarded() throws Exception {
    boolean isTransaction = random.nextInt(4) == 0;
    List<Request> requests = new ArrayList<>();
    do {
      requests.add(request());
    } while (isTransaction && requests.size() < 5);
    return Forwarded.of(client(), isTransaction, requests);
  }

  private ForwardedAnswer answer() {
    if (random.nextInt(5) == 0) {
      return ForwardedAnswer.NOT_LEADING;
    }
    ResultCode[] codes = ResultCode.values();
    boolean isExtended = random.nextBoolean();
    return new ForwardedAnswer(
        new ForwardedAnswer.Response(
            new LdapResult(
                codes[random.nextInt(codes.length)],
                text(),
                text(),
                random.nextBoolean() ? List.of() : List.of(text(), text()),
                random.nextBoolean()
                    ? List.of()
                    : List.of(new ResponseControl(text(), random.nextBoolean() ? bytes() : null))),
            isExtended,
            isExtended && random.nextBoolean() ? text() : null,
            isExtended && random.nextBoolean() ? bytes() : null),
        new LogPosition(random.nextLong(), random.nextLong()),
        random.nextBoolean());
  }

  /** Compares by the forms: records with arrays are not equal. */
  private static Forwarded read(ByteBuffer form) throws InvalidBerException {
    return Forwarded.read(form, OperationFixture.SCHEMA);
  }

  @Test
  void shouldReadWhatItHasWritten() throws Exception {
    for (int i = 0; i < CASES; i++) {
      Forwarded sent = forwarded();
      Forwarded come = read(sent.write());
      assertThat(come.client()).as("seed %s", seed).isEqualTo(sent.client());
      assertThat(come.isTransaction()).isEqualTo(sent.isTransaction());
      assertThat(come.requests()).hasSameSizeAs(sent.requests());
      for (int j = 0; j < sent.requests().size(); j++) {
        byte[] form = come.requests().get(j);
        assertThat(form).isEqualTo(sent.requests().get(j));
        Request request = RequestForm.read(form);
        assertThat(RequestForm.write(request)).as("seed %s", seed).isEqualTo(form);
        assertThat(RequestForm.mostBytes(request)).isGreaterThanOrEqualTo(form.length);
        assertThat(RequestForm.footprint(form)).isGreaterThan(form.length);
      }
      ForwardedAnswer told = answer();
      ForwardedAnswer heard = ForwardedAnswer.read(told.write());
      assertThat(heard.at()).isEqualTo(told.at());
      assertThat(heard.hasNewPassword()).isEqualTo(told.hasNewPassword());
      assertThat(heard.write()).as("seed %s", seed).isEqualTo(told.write());
    }
  }

  @Test
  void shouldKeepEachPartOfARequest() throws Exception {
    Request.Modify sent =
        new Request.Modify(
            7,
            "cn=a",
            List.of(
                new Request.Change(
                    2, new Request.AttributeValues("sn", List.of("b".getBytes(UTF_8))))),
            List.of(new RequestControl("1.2", true, "c".getBytes(UTF_8))));
    Request.Modify come = (Request.Modify) RequestForm.read(RequestForm.write(sent));
    assertThat(come.messageId()).isEqualTo(7);
    assertThat(come.name()).isEqualTo("cn=a");
    assertThat(come.changes().getFirst().kind()).isEqualTo(2);
    assertThat(come.changes().getFirst().attribute().attribute()).isEqualTo("sn");
    assertThat(come.changes().getFirst().attribute().values()).containsExactly("b".getBytes(UTF_8));
    assertThat(come.controls().getFirst().critical()).isTrue();
    assertThat(come.controls().getFirst().value()).isEqualTo("c".getBytes(UTF_8));
  }

  @Test
  void shouldRefuseWhatIsCutOrDamagedByOneException() throws Exception {
    for (int i = 0; i < CASES; i++) {
      byte[] form = bytes(forwarded().write());
      byte[] cut = Arrays.copyOf(form, random.nextInt(form.length));
      assertThatThrownBy(() -> read(ByteBuffer.wrap(cut)))
          .as("seed %s", seed)
          .isInstanceOf(InvalidBerException.class);
      damage(form);
      readAll(form);
      byte[] answer = bytes(answer().write());
      byte[] cutAnswer = Arrays.copyOf(answer, random.nextInt(answer.length));
      assertThatThrownBy(() -> ForwardedAnswer.read(ByteBuffer.wrap(cutAnswer)))
          .as("seed %s", seed)
          .isInstanceOf(InvalidBerException.class);
      damage(answer);
      try {
        var _ = ForwardedAnswer.read(ByteBuffer.wrap(answer));
      } catch (InvalidBerException expected) {
        assertThat(expected).hasMessageNotContaining("null");
      }
    }
  }

  /** Any other exception than the one for malformed bytes fails the test. */
  private void readAll(byte[] form) {
    try {
      for (byte[] each : read(ByteBuffer.wrap(form)).requests()) {
        assertThat(RequestForm.footprint(each)).as("seed %s", seed).isPositive();
        var _ = RequestForm.read(each);
      }
    } catch (InvalidBerException expected) {
      assertThat(expected).hasMessageNotContaining("null");
    } catch (RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  private void damage(byte[] form) {
    for (int i = random.nextInt(4); i >= 0; i--) {
      form[random.nextInt(form.length)] = (byte) random.nextInt();
    }
  }

  private static byte[] bytes(ByteBuffer form) {
    byte[] bytes = new byte[form.remaining()];
    form.duplicate().get(bytes);
    return bytes;
  }

  @Test
  void shouldCountDeepElementsWithoutEnteringThem() throws Exception {
    byte[] deep = new byte[200_000];
    int at = deep.length;
    for (int length = 0; at > 6; length = deep.length - at) {
      byte[] header = {
        0x30, (byte) 0x83, (byte) (length >> 16), (byte) (length >> 8), (byte) length
      };
      at -= header.length;
      System.arraycopy(header, 0, deep, at, header.length);
    }
    byte[] form = Arrays.copyOfRange(deep, at, deep.length);
    assertThat(RequestForm.footprint(form)).isGreaterThan(form.length);
    assertThatThrownBy(() -> RequestForm.read(form)).isInstanceOf(InvalidBerException.class);
  }
}
