package org.nyala.netty.codec;

import org.nyala.core.limits.ServerLimits;

/** The codecs that a server can have; tests of decoding run with each. */
enum Codec {
  DIRECT,
  APACHE;

  static final int MAXIMUM_PDU_BYTES = 16 << 20;

  /** Returns a decoder of this codec, with the default limits. */
  RequestDecoder decoder() {
    return this == DIRECT
        ? RequestDecoder.direct(ServerLimits.DEFAULT)
        : RequestDecoder.apache(ServerLimits.DEFAULT, MAXIMUM_PDU_BYTES);
  }
}
