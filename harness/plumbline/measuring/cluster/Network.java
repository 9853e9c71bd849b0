import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * The network between two pods: {@code java Network.java PORT} serves, {@code java Network.java HOST PORT} measures and
 * prints one line of JSON: the round trip of one byte over TCP, what one connection carries, and how many of 5,000
 * datagrams did not come back.
 *
 * <p>One file for the JDK alone, so that it needs no image of its own and no build.
 */
public final class Network {
    private static final int ECHO = 'e';
    private static final int SINK = 's';
    private static final long SECOND = 1_000_000_000L;
    private static final long WARM_UP = SECOND / 2;
    private static final long MEASURED = 2 * SECOND;
    private static final int MOST_TRIPS = 200_000;
    private static final int DATAGRAMS = 5_000;
    // So few that a receiver which waits some time for a CPU loses none: a lost datagram was lost on the way.
    private static final int DATAGRAMS_A_SECOND = 2_000;
    private static final int DATAGRAM_BYTES = 128;
    private static final int LATE_MS = 1_000;
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int BLOCK_BYTES = 128 << 10;
    private static final int CONNECT_MS = 5_000;

    private Network() {}

    public static void main(String[] args) throws Exception {
        if (args.length == 1) {
            serve(Integer.parseInt(args[0]));
        } else {
            measure(new InetSocketAddress(InetAddress.getByName(args[0]), Integer.parseInt(args[1])));
        }
    }

    private static void serve(int port) throws IOException {
        DatagramSocket datagrams = new DatagramSocket(port);
        datagrams.setReceiveBufferSize(BUFFER_BYTES);
        Thread.ofPlatform().daemon().start(() -> reflect(datagrams));
        try (ServerSocket server = new ServerSocket(port)) {
            while (true) {
                Socket socket = server.accept();
                Thread.ofPlatform().start(() -> answer(socket));
            }
        }
    }

    private static void reflect(DatagramSocket datagrams) {
        DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES);
        while (true) {
            try {
                packet.setLength(DATAGRAM_BYTES);
                datagrams.receive(packet);
                datagrams.send(packet);
            } catch (IOException lost) {
                // The sender, which waits for the datagram, counts the loss.
            }
        }
    }

    private static void answer(Socket opened) {
        try (Socket socket = opened) {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            int kind = in.read();
            if (kind == ECHO) {
                for (int read = in.read(); read >= 0; read = in.read()) {
                    out.write(read);
                }
            } else if (kind == SINK) {
                byte[] block = new byte[BLOCK_BYTES];
                while (in.read(block) >= 0) {
                    // The sender counts the bytes that it sent, once all of them have arrived.
                }
                out.write(SINK);
            }
        } catch (IOException gone) {
            // Somebody, such as the pod's probe, only checked that the port is open.
        }
    }

    private static void measure(InetSocketAddress server) throws Exception {
        double[] trips = trips(server);
        double bandwidth = bandwidth(server);
        int lost = lost(server);
        System.out.printf(
                Locale.ROOT,
                "{\"round_trip_ms\":%.4f,\"round_trip_p99_ms\":%.4f,\"mbit_per_s\":%.1f,\"sent\":%d,\"lost\":%d}%n",
                trips[0], trips[1], bandwidth, DATAGRAMS, lost);
    }

    private static Socket connected(InetSocketAddress server, int kind) throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(server, CONNECT_MS);
        socket.getOutputStream().write(kind);
        return socket;
    }

    /** Returns the median and the 99th percentile of the round trip in milliseconds. */
    private static double[] trips(InetSocketAddress server) throws IOException {
        long[] taken = new long[MOST_TRIPS];
        int count = 0;
        try (Socket socket = connected(server, ECHO)) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            long begun = System.nanoTime();
            for (long now = begun; now - begun < WARM_UP + MEASURED && count < MOST_TRIPS; ) {
                out.write(1);
                in.read();
                long then = System.nanoTime();
                if (now - begun >= WARM_UP) {
                    taken[count++] = then - now;
                }
                now = then;
            }
        }
        long[] sorted = Arrays.copyOf(taken, count);
        Arrays.sort(sorted);
        return new double[] {sorted[count / 2] / 1e6, sorted[Math.min(count - 1, count * 99 / 100)] / 1e6};
    }

    /** Returns the megabits a second that one connection carries. */
    private static double bandwidth(InetSocketAddress server) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        try (Socket socket = connected(server, SINK)) {
            OutputStream out = socket.getOutputStream();
            long sent = 0;
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < MEASURED) {
                out.write(block);
                sent += block.length;
            }
            socket.shutdownOutput();
            socket.getInputStream().read();
            return sent * 8 / 1e6 / ((System.nanoTime() - begun) / 1e9);
        }
    }

    private static int lost(InetSocketAddress server) throws Exception {
        BitSet back = new BitSet(DATAGRAMS);
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setReceiveBufferSize(BUFFER_BYTES);
            socket.setSoTimeout(LATE_MS);
            Thread receiver = Thread.ofPlatform().start(() -> receive(socket, back));
            long begun = System.nanoTime();
            for (int number = 0; number < DATAGRAMS; number++) {
                byte[] content = new byte[DATAGRAM_BYTES];
                content[0] = (byte) (number >> 8);
                content[1] = (byte) number;
                socket.send(new DatagramPacket(content, content.length, server));
                long due = begun + (number + 1) * SECOND / DATAGRAMS_A_SECOND;
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
            }
            receiver.join();
        }
        return DATAGRAMS - back.cardinality();
    }

    private static void receive(DatagramSocket socket, BitSet back) {
        DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES);
        try {
            while (back.cardinality() < DATAGRAMS) {
                packet.setLength(DATAGRAM_BYTES);
                socket.receive(packet);
                byte[] content = packet.getData();
                back.set((content[0] & 0xff) << 8 | content[1] & 0xff);
            }
        } catch (SocketTimeoutException over) {
            // No datagram came for the longest time that one may be on its way.
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }
}
