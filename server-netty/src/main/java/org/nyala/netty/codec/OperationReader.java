package org.nyala.netty.codec;

import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.Request;

/**
 * A reader of the operation in an envelope: directly from the bytes, or by way of a codec. All
 * readers mean the same by the same bytes.
 *
 * <p>Confined to one thread at a time. Hot.
 */
interface OperationReader {
  /**
   * Reads the operation, before which the envelope's reader is.
   *
   * @throws InvalidBerException as {@link MalformedRequest#of} takes it
   */
  Request read(Envelope envelope) throws InvalidBerException;
}
