package import NIOCore

/// Hands bytes to the decoder no faster than what stands behind it asks for requests (requirement 48).
///
/// One read from a socket can hold hundreds of pipelined requests, and a decoded request takes a hundred times the memory
/// of its bytes. This handler stands before the decoder and sends on one slice for each read that comes back through the
/// pipeline; the rest stays bytes. It adds no step to a request that fits into one slice.
package final class DecoderBackPressureHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = IOData
    package typealias OutboundOut = IOData

    /// The most bytes that are decoded at a time: a request, or a hundred of the shortest ones.
    package static let sliceBytes = 2048
    /// A client that has stopped sending is read to its end at once, without waiting for a reader; longer ends are cut. No client
    /// that waits for answers has so much on the way.
    package static let maximumHeldBytes = 512 * 1024

    private var held = ByteBuffer()
    /// Whether a read went to the socket that nothing answered yet.
    private var isReading = false
    private var isDelivering = false
    /// Whether a read came while a slice was being delivered.
    private var isMoreWanted = false
    /// Whether the client stopped sending behind the bytes that are held.
    private var isInputEndHeld = false

    package init() {}

    /// The bytes that are read and not decoded.
    package var heldBytes: Int { held.readableBytes }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if isReading, held.readableBytes == 0, bytes.readableBytes <= Self.sliceBytes {
            isReading = false
            context.fireChannelRead(data)
        } else if held.readableBytes == 0 {
            held = bytes
        } else {
            held.writeBuffer(&bytes)
            if held.readableBytes > Self.maximumHeldBytes { context.close(promise: nil) }
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if held.readableBytes == 0 {
            context.fireChannelReadComplete()
        } else if !isDelivering {
            deliver(context, isWanted: isReading)
        }
    }

    package func read(context: ChannelHandlerContext) {
        if isDelivering {
            isMoreWanted = true
        } else if held.readableBytes > 0 {
            deliver(context, isWanted: true)
        } else {
            isReading = true
            context.read()
        }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if held.readableBytes > 0, case ChannelEvent.inputClosed? = event as? ChannelEvent {
            isInputEndHeld = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        held = ByteBuffer()
        context.fireChannelInactive()
    }

    /// Sends on slices until nobody wants more or none is left.
    private func deliver(_ context: ChannelHandlerContext, isWanted: Bool) {
        isReading = false
        isDelivering = true
        isMoreWanted = isWanted
        if !isWanted { context.pipeline.syncOperations.read() }
        while isMoreWanted, let slice = held.readSlice(length: min(held.readableBytes, Self.sliceBytes)) {
            isMoreWanted = false
            context.fireChannelRead(wrapInboundOut(slice))
            guard held.readableBytes > 0 else { break }
            // Everybody behind is asked, from the last one on, as after a read from the socket.
            context.pipeline.syncOperations.read()
        }
        isDelivering = false
        guard held.readableBytes == 0 else { return context.fireChannelReadComplete() }
        held = ByteBuffer()
        context.fireChannelReadComplete()
        if isInputEndHeld {
            isInputEndHeld = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        } else {
            context.pipeline.syncOperations.read()
        }
    }
}
