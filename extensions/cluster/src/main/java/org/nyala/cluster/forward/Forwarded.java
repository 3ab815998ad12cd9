package org.nyala.cluster.forward;

import java.nio.ByteBuffer;
import java.util.List;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.ElementBudget;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.Request;
import org.nyala.core.schema.Schema;

/**
 * The message that a member passes on to the one that leads: a request of a client, or all of a
 * transaction.
 *
 * <p>Immutable, but for the arrays, which nobody writes to. The form begins with its version; a
 * member refuses those that it does not know, so that they were surely not carried out.
 *
 * @param client the client
 * @param isTransaction true if the last request ends a transaction of those before it
 * @param requests the forms of the requests, at least one
 */
record Forwarded(ForwardedClient client, boolean isTransaction, List<byte[]> requests) {
  /** The version of the form. */
  private static final int VERSION = 1;

  /** The requests of one transaction, at most; the limit of the server is below it. */
  private static final int MOST_REQUESTS = 1_000_000;

  /** The elements around the client. */
  private static final int CLIENT_ELEMENTS = 2_000;

  Forwarded {
    requests = List.copyOf(requests);
  }

  /** Returns what a client asks. */
  static Forwarded of(ForwardedClient client, boolean isTransaction, List<Request> requests) {
    return new Forwarded(client, isTransaction, requests.stream().map(RequestForm::write).toList());
  }

  /** Returns the form. */
  ByteBuffer write() {
    BerWriter list = new BerWriter();
    requests.forEach(list::raw);
    return ByteBuffer.wrap(
        new BerWriter()
            .sequence(
                new BerWriter()
                    .integer(VERSION)
                    .raw(client.write().toByteArray())
                    .bool(isTransaction)
                    .sequence(list))
            .toByteArray());
  }

  /**
   * Reads the form; the requests in it are not read yet.
   *
   * @param form its bytes, from position to limit
   * @param schema the schema by which names are read
   * @throws InvalidBerException if it is none, or of another version
   */
  static Forwarded read(ByteBuffer form, Schema schema) throws InvalidBerException {
    byte[] bytes = new byte[form.remaining()];
    form.duplicate().get(bytes);
    BerReader reader =
        new BerReader(bytes, new ElementBudget(Math.min(bytes.length, CLIENT_ELEMENTS)));
    int whole = reader.enter(BerReader.SEQUENCE);
    int version = reader.integer();
    if (version != VERSION) {
      throw new InvalidBerException("version " + version + " is not known here");
    }
    ForwardedClient client = ForwardedClient.read(reader, schema);
    boolean isTransaction = reader.bool();
    int list = reader.enter(BerReader.SEQUENCE);
    BerReader each = new BerReader(bytes, new ElementBudget(MOST_REQUESTS));
    each.reset(bytes, reader.position(), bytes.length);
    List<byte[]> requests =
        each.list(BerReader.SEQUENCE, MOST_REQUESTS, "requests", BerReader::element);
    if (requests.isEmpty() || !isTransaction && requests.size() > 1) {
      throw new InvalidBerException(requests.size() + " requests");
    }
    each.requireEnd();
    reader.reset(bytes, each.position(), bytes.length);
    reader.leave(list);
    reader.leave(whole);
    reader.requireEnd();
    return new Forwarded(client, isTransaction, requests);
  }
}
